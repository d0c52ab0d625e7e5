/** What may stand in the head and the trailers of a message (RFC 9110, section 5). Texts are latin1. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const FORBIDDEN_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/

/** Whether it may be the name of a header, or a method. */
export function isToken(text: string): boolean {
  return TOKEN.test(text)
}

/** Whether it may be the value of a header, or a status message: it has no NUL and no end of a line. */
export function isFieldValue(text: string): boolean {
  return !FORBIDDEN_IN_VALUE.test(text)
}
