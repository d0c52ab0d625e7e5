/**
 * Which of several control planes on one database leads. The leader shows that it lives by increasing `beat`. A control
 * plane that sees the same beat for long enough, by its own clock, takes over with the next `token`. So clocks are
 * never compared.
 */
export interface Leadership {
  /** Increases with each take-over. 0: there was no leader yet. */
  token: number
  /** Increases while the leader lives. */
  beat: number
  /** The leader's data folder. `null`: there is no leader. */
  holder: string | null
  /** The URL under which others reach the leader. Empty: not known yet. */
  url: string
}

export interface LeadershipStore {
  get(): Promise<Leadership>
  /** Takes the lead if nothing has changed since `seen`. Returns the new token, otherwise `undefined`. */
  take(seen: Leadership, holder: string): Promise<number | undefined>
  /** Increases the beat. `false`: another one has taken over. */
  renew(token: number, url: string): Promise<boolean>
  /** Gives the lead up, so that another one may take it at once. Does nothing when another one leads. */
  release(token: number): Promise<void>
}

/** The time in which one control plane leads. */
export interface Term {
  readonly token: number
  /**
   * Whether no other control plane can have taken the lead yet. Once `false`, it may become `true`
   * again.
   */
  isSure(): boolean
}
