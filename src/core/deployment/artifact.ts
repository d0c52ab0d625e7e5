/** What a build gives, and what a runtime driver starts. */

/**
 * A project as a folder: installed, built and, where that works, bundled. It holds no path of a
 * machine: where such a folder lies on this one says `LocalProject`.
 */
export interface FolderArtifact {
  kind: 'folder'
  /** The revision that it was built for, which names it among all that was built. */
  id: string
  /** What the project's graphs are written in. */
  language: 'javascript'
  /** The exact Node that the project asked for; `null`: Runyard's own. */
  node_version: string | null
  /** The way to `langgraph.json` from the top of the folder. */
  config_path: string
  /** The way to the file that its modules are bundled in; `null`: they are loaded as they are. */
  bundle: string | null
}

/** An image that answers the agent server's API on the port that `PORT` names. */
interface ImageArtifact {
  kind: 'image'
  /** With its digest: `registry.example.com/agent@sha256:…`. */
  image_uri: string
}

export type Artifact = FolderArtifact | ImageArtifact

export type ArtifactKind = Artifact['kind']

/** Where a folder lies that was built on this machine; every path is absolute. */
export interface LocalProject {
  root: string
  configPath: string
  /** `null`: its modules are not bundled. */
  bundlePath: string | null
  /** The Node that it asked for, with the folder that it lies in; `null`: Runyard's own. */
  node: { root: string; path: string } | null
}
