/** A sign of progress. The caller shows beside it, in words, what is in progress. */
export function Spinner() {
  return (
    <svg viewBox="0 0 16 16" className="size-3.5 animate-spin" aria-hidden="true">
      <circle
        cx="8"
        cy="8"
        r="6.5"
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        opacity="0.25"
      />
      <path d="M8 1.5A6.5 6.5 0 0 1 14.5 8" fill="none" stroke="currentColor" strokeWidth="2" />
    </svg>
  )
}
