//! The commands and interfaces for machines: the program itself, asked by itself and by others.
mod console;
mod served;
