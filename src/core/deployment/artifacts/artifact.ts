/** The result of a build, which a runtime driver starts. */

/** The languages of graphs. */
export type Language = 'javascript' | 'python'

/**
 * A project as a folder: installed, built and, where that works, bundled. It holds no path of a machine; `LocalProject`
 * has the place on this one.
 */
export interface FolderArtifact {
  kind: 'folder'
  /** The revision that it was built for; unique among all builds. */
  id: string
  /** The exact Node that the project asked for; `null`: Runyard's own. */
  node_version: string | null
  /** The path of `langgraph.json` in the folder. */
  config_path: string
  /** The path of the bundle; `null`: modules are loaded as they are. */
  bundle: string | null
  /** The path of its Python environment; `null`: it has none. */
  python: string | null
  /**
   * The image that was built for it and pushed to the operator's registry, with its digest:
   * `registry.example.com/team/<deployment id>/built@sha256:…`.
   */
  image_uri?: string
  /** The id of an image that was built for it but not pushed, on its engine. Without both: Runyard's own image. */
  image?: string
}

/** An image that serves the agent server's API on the port in `PORT`. */
export interface ImageArtifact {
  kind: 'image'
  /** With its digest: `registry.example.com/agent@sha256:…`. */
  image_uri: string
  /** It runs `runyard` and links to its driver: it has the label `LINK_LABEL`. */
  is_linked?: true
}

/** The label of Runyard's image, and so of every image that is built from it. */
export const LINK_LABEL = 'runyard.link'

export type Artifact = FolderArtifact | ImageArtifact

export type ArtifactKind = Artifact['kind']

/** The place of a folder that was built on this machine; every path is absolute. */
export interface LocalProject {
  root: string
  configPath: string
  /** `null`: its modules are not bundled. */
  bundlePath: string | null
  /** The Node that it asked for, with its folder; `null`: Runyard's own. */
  node: { root: string; path: string } | null
  /** The Python of its environment, with the folder of installed Pythons; `null`: none. */
  python: { root: string; path: string } | null
}
