/** How the commands of a build are run that may be a project's own: as processes here, or in containers. */
import type { RegistryLogin } from '../images/pull-secret.ts'
import type { SandboxView } from '../sandbox.ts'

export interface CommandTerms {
  /** Aborting ends the command with all that it started, and rejects with the signal's reason. */
  signal: AbortSignal
  /** How long it may take, in ms; then it is ended. */
  limitMs: number
  /** How much memory it may take with all that it started, in bytes; then it is ended. */
  maxMemoryBytes: number
  /** Each line of standard error, and of standard output unless that is captured. */
  onLine(line: string): void
  /** `true`: standard output is answered instead, up to 16 MiB of it. */
  isCaptured?: boolean
  /**
   * What the command waits for by reading its standard input, which ends when this resolves; its time counts from then on. Where
   * it cannot be begun before, it is begun then. The caller aborts `signal` where it rejects. Absent: the input is empty.
   */
  inputEnds?: Promise<void>
}

export interface CommandEnd {
  /** `0`: it went well. A command that a signal ended has 128 and the signal's number. */
  code: number
  isTimedOut: boolean
  isTooLarge: boolean
  /** What was captured; empty otherwise. */
  stdout: string
}

/** `variables` are the whole environment of a command. */
export type CommandView = SandboxView & Required<Pick<SandboxView, 'variables'>>

/** Those of one build. */
export interface ProjectCommands {
  run(
    command: readonly [string, ...string[]],
    view: CommandView,
    terms: CommandTerms,
  ): Promise<CommandEnd>
  /** What of the environment of this machine's commands holds for these. */
  environment(env: Readonly<Record<string, string>>): Record<string, string>
  /** They run as another user. Files that they made must not be trusted with this user's rights. */
  readonly hasOwnUser: boolean
  /** Makes their user the owner of the folder and everything in it. */
  handOver(folder: string): Promise<void>
  /** The build is over. Does not throw. */
  close(): Promise<void>
}

/** A build whose commands are to run in containers. */
export interface ContainedBuild {
  revision_id: string
  deployment_id: string
  signal: AbortSignal
  /** Hears, in a sentence, what is waited for. */
  say(line: string): void
  /** The image that they are of; absent: Runyard's own. */
  image?: string
}

/** An image of a project's own. */
export interface ImageOrder extends ContainedBuild {
  /** By digest, with what its registry wants; absent: Runyard's own image. */
  base?: { image_uri: string; login: RegistryLogin | undefined }
  /** The Dockerfile from its first line on. `preparation`: what puts Runyard into a base that does not have it. */
  dockerfile(base: string, preparation: readonly string[]): string
  /** The folder that its instructions copy from; absolute. */
  context: string
  limitMs: number
  maxMemoryBytes: number
}

/** Where an image goes that was built for a project, so that other engines can start it. */
export interface ImagePush extends ContainedBuild {
  /** Its id, as `buildImage` has answered it. */
  image: string
  /** `repository` with its registry: `registry.example.com/team/agent`. */
  to: { repository: string; tag: string }
  login: RegistryLogin | undefined
  limitMs: number
}

export interface BuildContainers {
  /** Runyard's own image, as the operator names it. */
  readonly ownImage: string
  /** Answers its id. Throws `BuildError('image')`. */
  buildImage(order: ImageOrder): Promise<string>
  /** Answers the image as engines pull it, with its digest. Throws `BuildError('image')`. */
  pushImage(push: ImagePush): Promise<string>
  /** `false`: the engine says that there is none. One that does not answer may have it. */
  hasImage(id: string): Promise<boolean>
  /** Removes what was built or pulled for the revision, and nothing that another one needs. */
  removeImages(revision_id: string): Promise<void>
  /** Throws `BuildError('container')` where no container can be made. An engine that is away is waited for. */
  open(build: ContainedBuild): Promise<ProjectCommands>
}
