/** `runyard doctor`: looks at the machine and the data folder, and says how to mend what is wrong. */
import { inspectData } from './data.ts'
import type { Finding } from './finding.ts'
import { inspectMachine } from './machine.ts'
import type { DoctorSettings, DoctorTools } from './tools.ts'

/** All there is to say, whether or not a Runyard is running. */
export async function examine(settings: DoctorSettings, tools: DoctorTools): Promise<Finding[]> {
  const isHeld = tools.isHeld()
  return [
    ...(await inspectMachine(settings, isHeld, tools)),
    ...(await inspectData(settings, isHeld, tools)),
  ]
}
