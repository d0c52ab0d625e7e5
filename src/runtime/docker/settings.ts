/** The operator's settings for the container engine that agent servers run in. */

export interface DockerSettings {
  /** Where the engine is; `undefined`: at the usual socket. */
  host: string | undefined
  /** A folder with `ca.pem`, `cert.pem` and `key.pem` for an engine that is asked over TLS; absolute. */
  certs?: string | undefined
  /** Runyard's own image, for projects that are built to a folder. */
  image: string
  /** A network of the operator's for all containers; `undefined`: one for each deployment. */
  network: string | undefined
  /** `UID:GID` of agent servers; `undefined`: the owner of the data folder, and 10001 for root. */
  user: string | undefined
  /** How long a pull may take, in ms. Default: 10 minutes. */
  pullMs?: number
  /** Tokens and the name of this installation are derived from it. Secret, and the same after a restart. */
  key: Uint8Array
}
