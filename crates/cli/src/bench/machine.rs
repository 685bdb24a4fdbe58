//! Describes the machine that was measured.

use algkit::Registry;
use serde::Serialize;
use std::fs;

/// The properties of the machine that affect figures.
#[derive(Serialize, Debug)]
pub struct Machine {
    /// The CPU's model name.
    pub cpu: String,
    pub arch: &'static str,
    /// The CPU features, without those that ALGKIT_CPU hides.
    pub features: Vec<&'static str>,
    /// The number of CPUs that this process may use.
    pub cpus: usize,
    pub os: String,
    /// The version of algkit.
    pub version: &'static str,
}

impl Machine {
    pub fn describe(registry: &Registry) -> Self {
        Self {
            cpu: cpu_model().unwrap_or_else(|| "unknown".to_owned()),
            arch: std::env::consts::ARCH,
            features: registry.cpu().features().iter().map(|feature| feature.name()).collect(),
            cpus: std::thread::available_parallelism().map_or(1, usize::from),
            os: os(),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// The model name in /proc/cpuinfo, whose field name depends on the architecture.
fn cpu_model() -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    let field = |wanted: &str| {
        let mut fields = info.lines().filter_map(|line| line.split_once(':'));
        fields.find(|(name, _)| name.trim() == wanted).map(|(_, value)| value.trim().to_owned())
    };
    field("model name")
        .or_else(|| field("cpu"))
        .or_else(|| Some(format!("implementer {} part {}", field("CPU implementer")?, field("CPU part")?)))
}

fn os() -> String {
    let kernel = |file: &str| fs::read_to_string(format!("/proc/sys/kernel/{file}")).map(|s| s.trim().to_owned());
    match (kernel("ostype"), kernel("osrelease")) {
        (Ok(name), Ok(release)) => format!("{name} {release}"),
        _ => std::env::consts::OS.to_owned(),
    }
}
