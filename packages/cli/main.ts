/** The `weft` command. */
import { readFileSync } from 'node:fs'

const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8')) as { version: string }

if (process.argv[2] === '--version') console.log(version)
