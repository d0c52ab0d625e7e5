/**
 * The part of the machine that a command sees through bubblewrap: programs and libraries, the files that
 * it is given, an empty `/tmp`, and nothing else. Of the data folder it sees only what it is given,
 * wherever that folder is.
 *
 * The process has its own user namespace, so that the kernel keeps it from the environment, the memory and the open
 * files of processes outside. Process ids are those of the machine: agent servers on one database check by them which
 * of them are alive.
 */
import { sep } from 'node:path'
import type { SandboxView } from '../core/deployment/sandbox.ts'
import { AppError } from '../core/errors.ts'

/** Programs and libraries, and the files by which they find names, hosts, certificates and the time. */
const MACHINE = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/opt', '/nix'],
  ...['passwd', 'group', 'hosts', 'host.conf', 'resolv.conf', 'nsswitch.conf', 'gai.conf'].map(etc),
  ...['services', 'protocols', 'localtime', 'timezone', 'machine-id', 'mime.types'].map(etc),
  // Private keys lie in the same folder, which Runyard's user may be able to read.
  ...['ssl/certs', 'ssl/cert.pem', 'ssl/ca-bundle.pem', 'ssl/openssl.cnf'].map(etc),
  ...['pki/tls/certs', 'pki/tls/cert.pem', 'pki/tls/openssl.cnf', 'pki/ca-trust'].map(etc),
  ...['pki/trust', 'ca-certificates', 'crypto-policies', 'alternatives', 'fonts'].map(etc),
  ...['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'gitconfig'].map(etc),
  '/run/systemd/resolve',
  // A PostgreSQL of this machine may be reached through its socket.
  ...['/run/postgresql', '/var/run/postgresql'],
]

/** The words that are put before a command. */
export function bubblewrapArguments(
  { cwd, readable, writable, variables }: SandboxView,
  dataDir: string,
): [string, ...string[]] {
  const isWithin = (path: string) => path.startsWith(dataDir + sep)
  const readOnly = (path: string) => ['--ro-bind-try', path, path]
  return [
    'bwrap',
    ...['--unshare-user', '--unshare-ipc', '--unshare-uts', '--die-with-parent'],
    ...['--cap-drop', 'ALL'],
    ...MACHINE.flatMap(readOnly),
    ...['--ro-bind', '/proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
    ...readable.filter((path) => !isWithin(path)).flatMap(readOnly),
    ...['--tmpfs', dataDir],
    ...readable.filter(isWithin).flatMap(readOnly),
    ...writable.flatMap((path) => ['--bind', path, path]),
    ...(variables ? ['--args', '4'] : []),
    ...['--chdir', cwd, '--'],
  ]
}

/**
 * The environment of a command, in the form that `bwrap --args` reads. Other users could read it on a
 * command line, and in bubblewrap's own environment it could take control of bubblewrap. Throws
 * `bad_request` for a value that no environment can hold.
 */
export function setVariables(variables: Readonly<Record<string, string>>): string {
  const words = Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value])
  if (words.some((word) => word.includes('\0'))) {
    throw new AppError('bad_request', 'The value of a variable must not contain the character NUL.')
  }
  return words.map((word) => `${word}\0`).join('')
}

function etc(name: string): string {
  return `/etc/${name}`
}
