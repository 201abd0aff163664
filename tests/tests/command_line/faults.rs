//! What goes wrong around a run: no room, closed pipes, interrupts, a killed process, and others
//! that write the same file. A certificate is the old one or the new one, never a part of one.

use super::{Files, SAFE};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use threadproof_tests::harness::{arg, run, threadproof};

const OLD: &str = "an old file";
const SIGINT: i32 = 2;
const SIGXFSZ: i32 = 25;

/// A program, and an old file where its certificate goes.
fn old(files: &Files) -> (PathBuf, PathBuf) {
    (files.write("safe.tp", SAFE), files.write("safe.cert", OLD))
}

fn prove(source: &Path, cert: &Path) -> Command {
    let mut command = Command::new(threadproof());
    command.args(["prove", arg(source), "-o", arg(cert)]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// The same in a shell that first limits the size of files to so many blocks, or does other things.
fn prove_after(first: &str, source: &Path, cert: &Path) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{first}; exec \"$@\""), "sh", arg(&threadproof()), "prove"]);
    command.args([arg(source), "-o", arg(cert)]).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn is_old(cert: &Path) -> bool {
    std::fs::read(cert).unwrap() == OLD.as_bytes()
}

fn is_new(source: &Path, cert: &Path) -> bool {
    run(threadproof(), &["check", arg(source), arg(cert)]).0 == 0
}

fn names(files: &Files) -> Vec<String> {
    let names = std::fs::read_dir(files.folder.path()).unwrap();
    let mut names: Vec<String> =
        names.map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn without_room_the_old_file_stays() {
    let files = Files::new();
    let (source, cert) = old(&files);
    // A write beyond the limit is an error, as on a full disk.
    let status = prove_after("trap '' XFSZ; ulimit -f 1", &source, &cert).status().unwrap();
    assert_eq!(status.code(), Some(3));
    assert!(is_old(&cert));
    assert_eq!(names(&files), ["safe.cert", "safe.tp"], "nothing is left behind");
    // A device is written, and stays.
    let full = files.path("full");
    std::os::unix::fs::symlink("/dev/full", &full).unwrap();
    assert_eq!(prove(&source, &full).status().unwrap().code(), Some(3));
    assert_eq!(std::fs::read_link(&full).unwrap(), Path::new("/dev/full"));
}

#[test]
fn a_process_that_is_killed_while_it_writes_leaves_the_old_file() {
    let files = Files::new();
    let (source, cert) = old(&files);
    let status = prove_after("ulimit -c 0; ulimit -f 1", &source, &cert).status().unwrap();
    assert_eq!(status.signal(), Some(SIGXFSZ), "{status:?}");
    assert!(is_old(&cert));
    assert_eq!(names(&files).len(), 3, "the part that was written has a name of its own");
    assert_eq!(prove(&source, &cert).status().unwrap().code(), Some(0));
    assert!(is_new(&source, &cert));
}

#[test]
fn a_link_or_pipe_is_written_and_a_new_file_is_readable() {
    use std::os::unix::fs::PermissionsExt as _;
    let files = Files::new();
    let (source, cert) = old(&files);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    std::fs::set_permissions(&cert, std::fs::Permissions::from_mode(0o640)).unwrap();
    let link = files.path("link");
    std::os::unix::fs::symlink("safe.cert", &link).unwrap();
    assert_eq!(prove(&source, &link).status().unwrap().code(), Some(0));
    assert!(link.is_symlink() && is_new(&source, &cert));
    assert_eq!(mode(&cert), 0o640, "the old file's permissions");
    let new = files.path("new.cert");
    assert_eq!(prove_after("umask 022", &source, &new).status().unwrap().code(), Some(0));
    assert_eq!(mode(&new), 0o644);
    let pipe = files.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut child = prove(&source, &pipe).spawn().unwrap();
    let bytes = std::fs::read(&pipe).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(bytes, std::fs::read(&new).unwrap());
}

#[test]
fn a_closed_pipe_is_an_error_and_no_panic() {
    let files = Files::new();
    let (source, cert) = old(&files);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = prove(&source, &cert).stdout(writer).status().unwrap();
    assert_eq!(status.code(), Some(3));
    assert!(is_new(&source, &cert), "it was written before");
    let full = || Stdio::from(std::fs::File::options().write(true).open("/dev/full").unwrap());
    for arguments in [
        &["prove", arg(&source)][..],
        &["lower", arg(&source)],
        &["check", arg(&source), arg(&cert)],
        &["show", arg(&cert)],
        &["export", "--invariant", arg(&cert)],
        &["prove", "nowhere.tp"],
        &["--help"],
        &["nonsense"],
    ] {
        let mut command = Command::new(threadproof());
        let status = command.args(arguments).stdout(full()).stderr(full()).status().unwrap();
        assert_eq!(status.code(), Some(3), "{arguments:?}");
    }
}

#[test]
fn an_interrupt_at_any_moment_leaves_one_whole_file() {
    let files = Files::new();
    let (source, cert) = old(&files);
    let (mut before, mut after) = (0, 0);
    for delay in (0..).map(|n| Duration::from_millis(4 * n)) {
        std::fs::write(&cert, OLD).unwrap();
        let mut child = prove(&source, &cert).spawn().unwrap();
        std::thread::sleep(delay);
        let pid = child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).stderr(Stdio::null()).status();
        assert!(sent.is_ok());
        let status = child.wait().unwrap();
        match (status.code(), status.signal()) {
            (Some(2), None) | (None, Some(SIGINT)) => {
                assert!(is_old(&cert), "after {delay:?}: {status:?}");
                before += 1;
            }
            (Some(0), None) => {
                assert!(is_new(&source, &cert), "after {delay:?}");
                after += 1;
            }
            _ => panic!("after {delay:?}: {status:?}"),
        }
        assert_eq!(names(&files), ["safe.cert", "safe.tp"], "after {delay:?}");
        if after == 5 {
            break;
        }
    }
    assert!(before > 0, "no run was interrupted");
}

#[test]
fn who_writes_the_same_certificate_at_once_leaves_a_whole_one() {
    let files = Files::new();
    let (source, cert) = old(&files);
    for _ in 0..3 {
        let children: Vec<_> = (0..4).map(|_| prove(&source, &cert).spawn().unwrap()).collect();
        let mut running = children;
        while !running.is_empty() {
            running.retain_mut(|child| match child.try_wait().unwrap() {
                Some(status) => {
                    assert_eq!(status.code(), Some(0));
                    false
                }
                None => true,
            });
            // Also whoever reads in between finds the old file or a new one.
            assert!(is_old(&cert) || is_new(&source, &cert));
        }
        assert_eq!(names(&files), ["safe.cert", "safe.tp"]);
    }
    assert!(is_new(&source, &cert));
}
