/** `runyard doctor`: checks the machine and the data folder, and suggests fixes. */
import { inspectData } from './data.ts'
import type { Finding } from './finding.ts'
import { inspectMachine } from './machine.ts'
import type { DoctorSettings, DoctorTools } from './tools.ts'

/** All findings, whether or not a Runyard is running. */
export async function examine(settings: DoctorSettings, tools: DoctorTools): Promise<Finding[]> {
  const isHeld = tools.isHeld()
  return [
    ...(await inspectMachine(settings, isHeld, tools)),
    ...(await inspectData(settings, isHeld, tools)),
  ]
}
