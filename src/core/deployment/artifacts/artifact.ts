/** What a build gives, and what a runtime driver starts. */

/** What graphs can be written in. */
export type Language = 'javascript' | 'python'

/**
 * A project as a folder: installed, built and, where that works, bundled. It holds no path of a
 * machine: where such a folder lies on this one says `LocalProject`.
 */
export interface FolderArtifact {
  kind: 'folder'
  /** The revision that it was built for, which names it among all that was built. */
  id: string
  /** The exact Node that the project asked for; `null`: Runyard's own. */
  node_version: string | null
  /** The way to `langgraph.json` from the top of the folder. */
  config_path: string
  /** The way to the file that its modules are bundled in; `null`: they are loaded as they are. */
  bundle: string | null
  /** The way to the environment of its Python; `null`: it has none. */
  python: string | null
  /**
   * The image that was built for it, where that was pushed to the operator's registry, with its digest:
   * `registry.example.com/team/<deployment id>/built@sha256:…`.
   */
  image_uri?: string
  /** The id of the image that was built for it and was not pushed, on the engine that it runs on. Neither: Runyard's own. */
  image?: string
}

/** An image that answers the agent server's API on the port that `PORT` names. */
export interface ImageArtifact {
  kind: 'image'
  /** With its digest: `registry.example.com/agent@sha256:…`. */
  image_uri: string
  /** It runs `runyard`, and speaks the link with whoever starts it: it has the label `LINK_LABEL`. */
  is_linked?: true
}

/** The label of Runyard's image, and so of every image that is built from it. */
export const LINK_LABEL = 'runyard.link'

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
  /** The Python of its environment, and where those lie that were brought along; `null`: none. */
  python: { root: string; path: string } | null
}
