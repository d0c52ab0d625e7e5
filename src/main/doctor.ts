/** `runyard doctor`: its tools. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { weaknessesOf } from '../build/weaknesses.ts'
import { examine } from '../cli/doctor/examine.ts'
import type { Finding } from '../cli/doctor/finding.ts'
import type { UpConfig } from '../config.ts'
import { inspectControlPlane } from '../storage/control-plane/inspection.ts'
import { createSecretBox } from '../storage/control-plane/secret-box.ts'
import { lockFolder } from '../storage/db/sqlite/folder-lock.ts'
import { readCertificate } from './installation/certificate.ts'
import { EncryptionKeys } from './installation/encryption-keys.ts'

/** The findings about the installation of these settings. */
export function startDoctor(config: UpConfig): Promise<Finding[]> {
  return examine(config, {
    isHeld: () => isLocked(join(config.dataDir, 'lock.db')),
    readCertificate,
    openSecretBox: () => new EncryptionKeys(config, createSecretBox).box,
    inspectDatabase: inspectControlPlane,
    weaknessesOf: (revision_id) => weaknessesOf(join(config.dataDir, 'builds'), revision_id),
  })
}

function isLocked(lock: string): boolean {
  if (!existsSync(lock)) return false
  try {
    lockFolder(lock)()
    return false
  } catch {
    return true
  }
}
