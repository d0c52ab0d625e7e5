/** The headers of a request, read by their names in lower case. A `Headers` is one. */
export type HeaderReader = Pick<Headers, 'get' | 'has'>
