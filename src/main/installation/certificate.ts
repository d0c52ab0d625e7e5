/** The certificate of the settings, read at the start and again whenever its files change. */
import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { AppError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import type { Certificate, CertificateFiles } from '../../core/network/tls.ts'

/** How often the files are checked, in ms: certificates are renewed weeks ahead. */
const LOOK_MS = 10_000

/** Throws `bad_request` for unreadable files, and for files that do not belong together. */
export function readCertificate(files: CertificateFiles): Certificate {
  const certificate = {
    cert: read('RUNYARD_TLS_CERT', files.cert),
    key: read('RUNYARD_TLS_KEY', files.key),
  }
  try {
    createSecureContext(certificate)
    return certificate
  } catch (cause) {
    const why = 'is no certificate in PEM with its private key'
    throw new AppError('bad_request', `RUNYARD_TLS_CERT: ${files.cert} with ${files.key} ${why}.`, {
      cause,
    })
  }
}

function read(name: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    throw new AppError('bad_request', `${name}: ${path} cannot be read.`, { cause })
  }
}

/**
 * Makes the server use a renewed certificate for new connections; a half-written one is read again later.
 * The returned function stops it.
 */
export function followCertificate(
  server: { setSecureContext(certificate: Certificate): void },
  files: CertificateFiles,
  { log, lookMs = LOOK_MS }: { log: Log; lookMs?: number },
): () => void {
  const renew = () => {
    try {
      server.setSecureContext(readCertificate(files))
      log.info({ path: files.cert }, 'the TLS certificate was read anew')
    } catch (error) {
      log.error({ err: error }, 'the changed TLS certificate is not taken')
    }
  }
  const paths = [files.cert, files.key]
  for (const path of paths) watchFile(path, { interval: lookMs, persistent: false }, renew)
  return () => {
    for (const path of paths) unwatchFile(path, renew)
  }
}
