/** How a build's commands run that may be a project's own: as processes here, or in containers. */
import type { RegistryLogin } from '../images/pull-secret.ts'
import type { SandboxView } from '../sandbox.ts'

/** Begins the line of the bundling command that says which of the project's own files cannot be used, and why. */
export const BROKEN_FILE = 'The project cannot be bundled: '

export interface CommandTerms {
  /** Aborting ends the command with its child processes, and rejects with the signal's reason. */
  signal: AbortSignal
  /** How long it may take, in ms; then it is killed. */
  limitMs: number
  /** How much memory it may use with its child processes, in bytes; then it is killed. */
  maxMemoryBytes: number
  /** Each line of standard error, and of standard output unless that is captured. */
  onLine(line: string): void
  /** `true`: standard output is returned instead, up to 16 MiB of it. */
  isCaptured?: boolean
  /**
   * The command's standard input stays open until this resolves; its time limit counts from then on. A command that
   * cannot start earlier starts then. If this rejects, the caller aborts `signal`. Absent: the input is empty.
   */
  inputEnds?: Promise<void>
}

export interface CommandEnd {
  /** `0`: success. 128 plus the signal's number: a signal ended it. */
  code: number
  isTimedOut: boolean
  isTooLarge: boolean
  /** The captured output; otherwise empty. */
  stdout: string
}

/** `variables` are the whole environment of a command. */
export type CommandView = SandboxView & Required<Pick<SandboxView, 'variables'>>

/** The commands of one build. */
export interface ProjectCommands {
  run(
    command: readonly [string, ...string[]],
    view: CommandView,
    terms: CommandTerms,
  ): Promise<CommandEnd>
  /** The variables of this machine's commands that these commands get too. */
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
  /** Reports, in a sentence, what the build waits for. */
  say(line: string): void
  /** The image of the containers; absent: Runyard's own. */
  image?: string
}

/** A project's own image, to be built. */
export interface ImageOrder extends ContainedBuild {
  /** By digest, with the registry's login; absent: Runyard's own image. */
  base?: { image_uri: string; login: RegistryLogin | undefined }
  /** The whole Dockerfile. `preparation`: instructions that add Runyard to a base without it. */
  dockerfile(base: string, preparation: readonly string[]): string
  /** The folder that its instructions copy from; absolute. */
  context: string
  limitMs: number
  maxMemoryBytes: number
}

/** Pushes an image that was built for a project, so that other engines can start it. */
export interface ImagePush extends ContainedBuild {
  /** Its id, from `buildImage`. */
  image: string
  /** `repository` with its registry: `registry.example.com/team/agent`. */
  to: { repository: string; tag: string }
  login: RegistryLogin | undefined
  limitMs: number
}

export interface BuildContainers {
  /** Runyard's own image, as the operator names it. */
  readonly ownImage: string
  /** Returns its id. Throws `BuildError('image')`. */
  buildImage(order: ImageOrder): Promise<string>
  /** Returns the image as engines pull it, with its digest. Throws `BuildError('image')`. */
  pushImage(push: ImagePush): Promise<string>
  /** `false`: the engine does not have it. If the engine cannot be reached: `true`. */
  hasImage(id: string): Promise<boolean>
  /** Removes images of the revision that no other revision needs. */
  removeImages(revision_id: string): Promise<void>
  /** Throws `BuildError('container')` if no container can be made. Waits for an engine that is away. */
  open(build: ContainedBuild): Promise<ProjectCommands>
}
