//! Lists the drivers of an algorithm, the best first, and says which one serves.
//!
//! `cargo run --example list -- 'xts(aes)'`

use algkit::Registry;

fn main() -> Result<(), algkit::Error> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "gcm(aes)".to_owned());
    let registry = Registry::global()?;
    let chosen = registry.find_any(&name)?;

    let mut drivers = registry.drivers();
    drivers.retain(|driver| driver.name == chosen.name);
    drivers.sort_by_key(|driver| std::cmp::Reverse(driver.priority()));
    for driver in drivers {
        let usable = if registry.is_usable(&driver) { registry.test(&driver).to_string() } else { "no CPU".to_owned() };
        let mark = if driver.driver == chosen.driver { '*' } else { ' ' };
        println!("{mark} {:<52} {:>4}  {:<8}  {usable}", driver.driver, driver.priority(), driver.timing);
    }
    Ok(())
}
