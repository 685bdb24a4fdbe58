//! The driver to compare another with in its self-test.

use crate::{
    Error, Name,
    driver::{Driver, DriverRef, Timing, Type},
    table,
    templates::{Lookup, TEMPLATES},
};
use std::sync::Arc;

/// A driver of the same algorithm as `driver`: portable, and another one if there is one. It is not tested, and not kept.
pub(super) fn of(driver: &Driver) -> Option<DriverRef> {
    let name = Name::parse(&driver.name).ok()?;
    Reference { not: &driver.driver }.find(driver.kind, &name).ok()
}

/// Finds the most portable driver there is: a template over portable parts, or a row of the table.
struct Reference<'a> {
    /// The driver under test.
    not: &'a str,
}

impl Lookup for Reference<'_> {
    fn find(&self, kind: Type, name: &Name) -> Result<DriverRef, Error> {
        let text = name.to_string();
        let template = TEMPLATES.iter().find(|(base, _)| *base == name.base && !name.args.is_empty());
        if let Some((_, build)) = template
            && let Ok(instance) = build(self, name)
            && instance.driver != self.not
            && instance.kind == kind
        {
            return Ok(Arc::new(instance));
        }
        let portable =
            |d: &Driver| d.name == text && d.kind == kind && d.needs == Default::default() && d.driver != self.not;
        let rows: Vec<_> = table::drivers().filter(portable).collect();
        let best = rows.into_iter().max_by_key(|d| (d.timing == Timing::Constant, std::cmp::Reverse(d.priority())));
        best.map(Arc::new).ok_or(Error::Unknown(text))
    }
}
