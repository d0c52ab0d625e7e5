/** The headers of a request, to be asked for by their names in lower case. A `Headers` is one. */
export type HeaderReader = Pick<Headers, 'get' | 'has'>
