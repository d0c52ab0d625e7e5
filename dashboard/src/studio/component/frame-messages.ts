/** What the page and the frame of a component say to each other, on a channel that only the two have. */
import { z } from 'zod'
import type { State } from '../../api/thread-state.ts'

/** The component's script and styles, as the agent server gives them. */
export interface ComponentCode {
  /** Loads the files and renders the component. */
  html: string
  /** What the files hold, by their names. */
  files: Record<string, string>
}

/** What the component is given. */
export interface Shown {
  props: State
  meta: unknown
  /** What its `useStreamContext` reads. */
  stream: StreamContext
  /** A value of CSS's `color-scheme`. */
  colorScheme: string
}

interface StreamContext {
  values: State
  messages: readonly unknown[]
  interrupt: unknown
  isLoading: boolean
}

/** The page's first message; the others are of `Shown`. */
export interface Begin extends Shown {
  id: string
  name: string
  graph: string
  code: ComponentCode
}

const object = z.record(z.string(), z.unknown())

/** The frame's code is the agent's: what it says is checked. */
export const FromFrame = z.discriminatedUnion('type', [
  /** The component wants to be as high, in px. */
  z.object({ type: z.literal('height'), height: z.number().min(0) }),
  /** It reads the state, and wants to know how that changes. */
  z.object({ type: z.literal('reads') }),
  /** It begins a run. */
  z.object({
    type: z.literal('submit'),
    input: object.nullish(),
    command: object.optional(),
    context: object.optional(),
  }),
  z.object({ type: z.literal('failed'), reason: z.string() }),
])
export type FromFrame = z.infer<typeof FromFrame>
