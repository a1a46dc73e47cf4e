/** Where the time comes from: milliseconds since 1970. The global `Date` is one. */
export interface Clock {
  now(): number
}
