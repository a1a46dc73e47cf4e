/** Waits until something has become true; the test runner's own time limit ends it. */
export async function eventually(isTrue: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 20_000
  while (!isTrue()) {
    if (performance.now() > deadline) throw new Error(`never happened: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
