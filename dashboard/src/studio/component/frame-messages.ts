/** The messages between the page and a component's frame, on a private channel. */
import { z } from 'zod'
import type { State } from '../../api/thread-state.ts'

/** The component's script and styles, as the agent server returns them. */
export interface ComponentCode {
  /** Loads the files and renders the component. */
  html: string
  /** The files' contents, by name. */
  files: Record<string, string>
}

/** The component's data. */
export interface Shown {
  props: State
  meta: unknown
  /** What its `useStreamContext` reads. */
  stream: StreamContext
  /** A value of the CSS property `color-scheme`. */
  colorScheme: string
}

interface StreamContext {
  values: State
  messages: readonly unknown[]
  interrupt: unknown
  isLoading: boolean
}

/** The page's first message; all later ones are of type `Shown`. */
export interface Begin extends Shown {
  id: string
  name: string
  graph: string
  code: ComponentCode
}

const object = z.record(z.string(), z.unknown())

/** The frame runs the agent's code, so its messages are validated. */
export const FromFrame = z.discriminatedUnion('type', [
  /** The component's height, in px. */
  z.object({ type: z.literal('height'), height: z.number().min(0) }),
  /** The component reads the state, and needs its changes. */
  z.object({ type: z.literal('reads') }),
  /** The component starts a run. */
  z.object({
    type: z.literal('submit'),
    input: object.nullish(),
    command: object.optional(),
    context: object.optional(),
  }),
  z.object({ type: z.literal('failed'), reason: z.string() }),
])
export type FromFrame = z.infer<typeof FromFrame>
