/** The tables that the peer's CLI draws, read back. */

/** The rows of a table by column; a cell of several lines is one text, its lines parted by spaces. */
export function readTable(text: string): Record<string, string>[] {
  const [head = [], ...body] = drawnRows(text)
  return body.map((cells) => Object.fromEntries(head.map((column, at) => [column, cells[at] ?? ''])))
}

/** A line whose first cell is empty continues the row above it. */
function drawnRows(text: string): string[][] {
  const rows: string[][] = []
  for (const line of text.split('\n')) {
    if (!line.startsWith('│')) continue
    const cells = line
      .split('│')
      .slice(1, -1)
      .map((cell) => cell.trim())
    const above = rows.at(-1)
    if (cells[0] !== '' || above === undefined) rows.push(cells)
    else rows[rows.length - 1] = above.map((cell, at) => `${cell} ${cells[at] ?? ''}`.trim())
  }
  return rows
}
