/** State and actions that the parts of the Studio share: assistant, selection, current run. */
import type {
  Assistant,
  Checkpoint,
  Command,
  GraphSchema,
  Interrupt,
  Message,
  Run,
  ThreadState,
} from '@langchain/langgraph-sdk'
import { createContext, use } from 'react'
import type { State } from '../api/thread-state.ts'
import type { Activity } from './activity.ts'

/** Starts a run: an input, or a command (`resume`, `update`, `goto`) to an interrupted thread. */
export interface Submission {
  input?: State | null
  command?: Command
}

export type MultitaskStrategy = 'enqueue' | 'interrupt' | 'rollback' | 'reject'

export interface SubmitOptions {
  /**
   * The checkpoint where the run starts: its id, or the checkpoint with those of the subgraphs; null: the thread's
   * newest. Default: the selected checkpoint, else the newest.
   */
  checkpoint?: string | Checkpoint | null
  /** Default: the breakpoints that are set in the graph. */
  interruptBefore?: string[]
  interruptAfter?: string[]
  /** What happens to a run in progress; default `enqueue`. */
  multitaskStrategy?: MultitaskStrategy
  config?: { recursion_limit?: number; configurable?: State }
  context?: State
}

/** The nodes where runs stop. */
export interface Breakpoints {
  before: readonly string[]
  after: readonly string[]
}

export interface Studio {
  assistant: Assistant
  schemas: GraphSchema
  /** The key of the state's messages; undefined if it has none. */
  messagesKey: string | undefined
  /** Undefined before the first run of a new thread. */
  threadId: string | undefined
  /** The selected checkpoint's id, as in the address; undefined: the newest is shown. */
  checkpoint: string | undefined
  /** `thread: null` starts a new thread, `checkpoint: null` returns to the newest. */
  select(at: { thread?: string | null; checkpoint?: string | null }): void
  breakpoints: Breakpoints
  setBreakpoints(breakpoints: Breakpoints): void
  /** The run in progress on the thread. */
  activeRun: Run | undefined
  /** Runs queued behind it, oldest first. */
  queue: readonly Run[]
  /** Starts a run and follows it; behind another run it is queued. Throws the server's refusal. */
  submit(submission: Submission, options?: SubmitOptions): Promise<void>
  /** Stops the run in progress. */
  stop(): Promise<void>
}

/** The data to show: of the run in progress, of the selected checkpoint, or of the thread's newest. */
export interface StudioStream {
  values: State
  messages: readonly Message[]
  /** Sent messages that are not in the state yet. */
  sent: readonly Message[]
  interrupts: readonly Interrupt[]
  /** The nodes that come next. */
  next: readonly string[]
  activity: Activity
  /** The error of the last run. */
  error: unknown
  isRunning: boolean
  /** The thread is still loading. */
  isLoading: boolean
  /** The stored state behind it; undefined for a new thread. */
  state: ThreadState<State> | undefined
}

const StudioContext = createContext<Studio | undefined>(undefined)
const StreamContext = createContext<StudioStream | undefined>(undefined)

export const ProvideStudio = StudioContext.Provider
export const ProvideStream = StreamContext.Provider

/** Changes rarely: with the selection, and at a run's start and end. */
export function useStudio(): Studio {
  const studio = use(StudioContext)
  if (!studio) throw new Error('This part belongs into the Studio.')
  return studio
}

/** Changes with each frame during a run. */
export function useStudioStream(): StudioStream {
  const stream = use(StreamContext)
  if (!stream) throw new Error('This part belongs into the Studio.')
  return stream
}
