//! Pages and the JSON API over kept records: through the real router, from the real engine.
mod addresses;
mod beside;
mod captures;
mod cases;
mod compare;
mod cost;
mod entities;
mod erasures;
mod evidence;
mod heavy;
mod inert;
mod kept;
mod large;
mod lists;
mod live;
mod noticed;
pub(crate) mod site;
mod views;
