/** Pages beside an API, for browsers. */

/** Responds to a request for a page or one of its files; `undefined`: no page has this address. */
export type AnswerPage = (request: Request) => Promise<Response | undefined>
