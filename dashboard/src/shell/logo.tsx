/** A yard with its tracks, as in the browser's icon. */
export function Logo({ size = 20 }: { size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true" className="shrink-0">
      <rect width="32" height="32" rx="7" className="fill-accent" />
      <path
        d="M7 22h18M10 22V10m6 12V10m6 12V10M7 14h18"
        className="fill-none stroke-on-accent"
        strokeWidth="2.4"
        strokeLinecap="round"
      />
    </svg>
  )
}
