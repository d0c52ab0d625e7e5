/** `auth` of `langgraph.json`: the project's own say in who may use the server. */
import { z } from 'zod'
import { type ModuleSpec, type ReadingConfig, resolveModule } from './module-spec.ts'

/** Where the project's `Auth` comes from. */
export type AuthConfig<Module extends ModuleSpec = ModuleSpec> = Module & {
  /** Whether people who work on the project with Studio are asked like everyone else. */
  isStudioAuthDisabled: boolean
}

/** The part `auth` of the file; keys of other servers are let pass. */
export const AuthEntry = z.looseObject({
  path: z.string('write "./<file>:<export>"').nullish(),
  disable_studio_auth: z.boolean('write true or false').nullish(),
})

/** `undefined` where the file names no auth. Throws `bad_request`. */
export async function readAuthConfig(
  reading: ReadingConfig,
  entry: z.infer<typeof AuthEntry> | null | undefined,
): Promise<AuthConfig | undefined> {
  if (!entry?.path) return undefined
  const module = await resolveModule(reading, '"auth.path"', entry.path, 'default')
  return { ...module, isStudioAuthDisabled: entry.disable_studio_auth ?? false }
}
