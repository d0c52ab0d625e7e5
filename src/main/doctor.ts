/** `runyard doctor`: checks the machine and the data folder, and suggests fixes. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { weaknessesOf } from '../build/weaknesses.ts'
import { inspectData } from '../cli/doctor/data.ts'
import type { Finding } from '../cli/doctor/finding.ts'
import { inspectMachine } from '../cli/doctor/machine.ts'
import type { DoctorTools } from '../cli/doctor/tools.ts'
import type { UpConfig } from '../settings/config.ts'
import { inspectControlPlane } from '../storage/control-plane/inspection.ts'
import { createSecretBox } from '../storage/control-plane/secret-box.ts'
import { lockFolder } from '../storage/db/sqlite/folder-lock.ts'
import { readCertificate } from './installation/certificate.ts'
import { EncryptionKeys } from './installation/encryption-keys.ts'

/** The findings about the installation of these settings, whether or not a Runyard is running. */
export async function startDoctor(config: UpConfig): Promise<Finding[]> {
  const isHeld = isLocked(join(config.dataDir, 'lock.db'))
  const tools: DoctorTools = {
    readCertificate,
    openSecretBox: () => new EncryptionKeys(config, createSecretBox).box,
    inspectDatabase: inspectControlPlane,
    weaknessesOf: (revision_id) => weaknessesOf(join(config.dataDir, 'builds'), revision_id),
  }
  return [
    ...(await inspectMachine(config, isHeld, tools)),
    ...(await inspectData(config, isHeld, tools)),
  ]
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
