//! What kind of work a step is, and how its span ended on the wire.

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            /// Every value, in the order of its stored code.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word used on the wire, in tables, the API and pages.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// Reads the word back; `None` for any other.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }
    };
}
pub(crate) use words;

words! {
    /// The kind of a step (design: words).
    #[derive(Default)]
    Kind {
        /// A model call.
        Think = "think",
        /// A tool call without effects.
        Read = "read",
        /// A tool call with effects. A tool nobody classified counts as one.
        Act = "act",
        /// Asks for the truth of an act.
        Reconcile = "reconcile",
        /// An approval or a sleep.
        Wait = "wait",
        /// The span of an agent or sub-agent.
        Agent = "agent",
        /// An HTTP or MCP call below a step: evidence for it, never a step of its own.
        Transport = "transport",
        /// Framework plumbing, folded away by default.
        #[default]
        Other = "other",
    }
}

words! {
    /// Who says that a step is of its kind.
    #[derive(Default)]
    KindSource {
        /// The runtime said so (`recount.step.kind`).
        Given = "given",
        /// A rule of the operator.
        Rule = "rule",
        /// A convention's own operation or span kind.
        Convention = "convention",
        /// The verb in the tool's name, or what its HTTP children did.
        Inferred = "inferred",
        /// Nobody: a tool that counts as an act because nothing is known about it.
        #[default]
        Default = "default",
    }
}

words! {
    /// What carried the record.
    #[derive(Default)]
    Carrier {
        /// A span.
        #[default]
        Span = "span",
        /// A span event that is a record of its own.
        Event = "event",
        /// A log record; no version of the span it may be on.
        Log = "log",
    }
}

words! {
    /// The OTLP status of a span. `Unset` is the normal end of a good span.
    #[derive(Default)]
    Status {
        /// Nothing was said.
        #[default]
        Unset = "unset",
        /// The application said it went well.
        Ok = "ok",
        /// The application said it went wrong.
        Error = "error",
    }
}
