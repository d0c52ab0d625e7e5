/**
 * Variables that must be in the environment before a project's `@langchain/core` is imported. The
 * composition root sets them, over what a project says; nothing in this folder touches the
 * environment.
 *
 * `LANGCHAIN_CALLBACKS_BACKGROUND`: with callbacks in the background, the stream mode `messages`
 * loses tokens of a model that emits without pauses.
 */
export const GRAPH_ENVIRONMENT: Readonly<Record<string, string>> = {
  LANGCHAIN_CALLBACKS_BACKGROUND: 'false',
}
