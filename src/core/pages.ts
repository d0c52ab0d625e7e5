/** Pages beside an API, for browsers. */

/** Answers a request for a page or one of its files; `undefined`: there is none of that address. */
export type AnswerPage = (request: Request) => Promise<Response | undefined>
