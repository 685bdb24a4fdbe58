//! Finds the driver that a self-test compares another driver with.

use crate::{
    Error, Name,
    driver::{Driver, DriverRef, Timing, Type},
    table,
    templates::{Lookup, template},
};
use std::sync::Arc;

/// Another driver of the same algorithm as `driver`, portable if there is one. It is neither tested nor kept.
pub(super) fn of(driver: &Driver) -> Option<DriverRef> {
    let name = Name::parse(&driver.name).ok()?;
    Reference { not: &driver.driver }.find(driver.kind, &name).ok()
}

/// Finds the most portable driver of a name: a template over portable parts, or a row of the table.
struct Reference<'a> {
    /// The name of the driver under test.
    not: &'a str,
}

impl Lookup for Reference<'_> {
    fn find(&self, kind: Type, name: &Name) -> Result<DriverRef, Error> {
        let text = name.to_string();
        if let Some(build) = template(name)
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
