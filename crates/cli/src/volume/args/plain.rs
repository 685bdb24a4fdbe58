//! The command line of plain volumes.

use crate::size::{sector, sectors};
use clap::Args;

/// Where the sectors of a plain volume are.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Plain volumes (--type plain)")]
pub struct PlainArgs {
    /// Sector size in bytes [default: 512]
    #[arg(long, value_name = "BYTES", value_parser = sector)]
    pub sector_size: Option<u32>,
    /// Where the data begins in the image, in sectors of 512 bytes, or with a unit: cryptsetup's --offset [default: 0]
    #[arg(long, value_name = "SECTORS", value_parser = sectors)]
    pub data_offset: Option<u64>,
    /// The number of the first sector, from which its IV is computed, in sectors of 512 bytes, or with a unit [default: 0]
    #[arg(long, value_name = "SECTORS", value_parser = sectors)]
    pub skip: Option<u64>,
    /// For IVs, count sectors of --sector-size instead of 512 bytes
    #[arg(long)]
    pub iv_large_sectors: bool,
}

impl PlainArgs {
    /// An option that only plain volumes have, if one was given.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            (self.sector_size.is_some(), "--sector-size"),
            (self.data_offset.is_some(), "--data-offset"),
            (self.skip.is_some(), "--skip"),
            (self.iv_large_sectors, "--iv-large-sectors"),
        ];
        given.into_iter().find_map(|(is_given, option)| is_given.then_some(option))
    }
}
