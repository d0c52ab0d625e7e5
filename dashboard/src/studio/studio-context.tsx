/** What the parts of the Studio share: whom it is about, what is selected, what goes on, and what can be done. */
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

/** What begins a run: an input, or a command (`resume`, `update`, `goto`) to a thread that waits. */
export interface Submission {
  input?: State | null
  command?: Command
}

export type MultitaskStrategy = 'enqueue' | 'interrupt' | 'rollback' | 'reject'

export interface SubmitOptions {
  /**
   * Where the run goes on, by its id, or with that of each graph within the graph; null: at the thread's newest. Default:
   * the selected checkpoint, else the newest.
   */
  checkpoint?: string | Checkpoint | null
  /** Default: the breakpoints that are set in the graph. */
  interruptBefore?: string[]
  interruptAfter?: string[]
  /** What becomes of a run that is going on; default `enqueue`. */
  multitaskStrategy?: MultitaskStrategy
  config?: { recursion_limit?: number; configurable?: State }
  context?: State
}

/** Where runs are to stop. */
export interface Breakpoints {
  before: readonly string[]
  after: readonly string[]
}

export interface Studio {
  assistant: Assistant
  schemas: GraphSchema
  /** Where the state has its messages; undefined where it has none. */
  messagesKey: string | undefined
  /** Undefined until the first run of a new thread. */
  threadId: string | undefined
  /** The id of the selected one, as the address has it; undefined: the newest is shown. */
  checkpoint: string | undefined
  /** `thread: null` begins a new one, `checkpoint: null` goes back to the newest. */
  select(at: { thread?: string | null; checkpoint?: string | null }): void
  breakpoints: Breakpoints
  setBreakpoints(breakpoints: Breakpoints): void
  /** The thread's run that goes on now. */
  activeRun: Run | undefined
  /** Runs that wait for it, first come first. */
  queue: readonly Run[]
  /** Begins a run and follows it; while another goes on, it waits its turn. Throws what the server refuses. */
  submit(submission: Submission, options?: SubmitOptions): Promise<void>
  /** Ends the run that goes on. */
  stop(): Promise<void>
}

/** What is shown now: of the run that goes on, of the selected checkpoint, or of the thread's newest. */
export interface StudioStream {
  values: State
  messages: readonly Message[]
  /** Messages that were sent and that the state does not have yet. */
  sent: readonly Message[]
  interrupts: readonly Interrupt[]
  /** The names of the nodes that come next: the thread stands before them. */
  next: readonly string[]
  activity: Activity
  /** What the run failed with. */
  error: unknown
  isRunning: boolean
  /** The thread is still being read. */
  isLoading: boolean
  /** The kept state behind it; undefined for a new thread. */
  state: ThreadState<State> | undefined
}

const StudioContext = createContext<Studio | undefined>(undefined)
const StreamContext = createContext<StudioStream | undefined>(undefined)

export const ProvideStudio = StudioContext.Provider
export const ProvideStream = StreamContext.Provider

/** Changes seldom: with the selection, with a run's begin and end. */
export function useStudio(): Studio {
  const studio = use(StudioContext)
  if (!studio) throw new Error('This part belongs into the Studio.')
  return studio
}

/** Changes with each picture while a run goes on. */
export function useStudioStream(): StudioStream {
  const stream = use(StreamContext)
  if (!stream) throw new Error('This part belongs into the Studio.')
  return stream
}
