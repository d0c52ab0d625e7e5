/**
 * Which of several control planes on one database makes the world match its record. One leads at a
 * time. It shows that it lives by counting `beat` up; who sees the same beat for long enough, by its
 * own clock, takes over with the next `token`. No clock is compared with another's.
 */
export interface Leadership {
  /** Grows with each take-over. 0: nobody has ever led. */
  token: number
  /** Grows while the leader lives. */
  beat: number
  /** The data folder that leads; `null`: nobody. */
  holder: string | null
  /** Where others reach the leader; empty: not known yet. */
  url: string
}

export interface LeadershipStore {
  get(): Promise<Leadership>
  /** Leads from now on if nothing has changed since `seen`: answers the new token, else `undefined`. */
  take(seen: Leadership, holder: string): Promise<number | undefined>
  /** One more beat; `false`: somebody else has taken over. */
  renew(token: number, url: string): Promise<boolean>
  /** Lets another lead at once; does nothing when another does. */
  release(token: number): Promise<void>
}

/** The time in which one control plane leads. */
export interface Term {
  readonly token: number
  /** Whether nobody else can have begun to lead yet. Once `false`, it may become `true` again. */
  isSure(): boolean
}
