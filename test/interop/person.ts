/** A person with an authenticator app, who never types a code twice: each is of a later step than the one before. */
import { totpCode } from '../kit/totp.ts'
import type { Answer } from './sdk-client.ts'

const STEP_MILLISECONDS = 30_000
/** Around the present, and wider than what any controller accepts. */
const NEAR_STEPS = [-4, -3, -2, -1, 0, 1, 2, 3, 4]

export class Person {
  #seed = ''
  #lastStep = 0

  /** Types what the app shows, after setting it up if that is what is asked for. */
  readonly answer: Answer = ({ event, provisioningUrl }) => {
    if (event === 'enrollment-code-wanted') this.#seed = new URL(String(provisioningUrl)).searchParams.get('secret')!
    return event.endsWith('code-wanted') ? this.#nextCode() : undefined
  }

  /** Mistypes. */
  readonly answerWrongly: Answer = ({ event }) => {
    if (event !== 'code-wanted') return undefined
    const right = NEAR_STEPS.map((step) => this.#codeOf(currentStep() + step))
    return [...'0123456789'].map((digit) => digit.repeat(6)).find((code) => !right.includes(code))
  }

  #nextCode(): string {
    this.#lastStep = Math.max(this.#lastStep + 1, currentStep() - 1)
    return this.#codeOf(this.#lastStep)
  }

  #codeOf(step: number): string {
    return totpCode(this.#seed, step * STEP_MILLISECONDS)
  }
}

function currentStep(): number {
  return Math.floor(Date.now() / STEP_MILLISECONDS)
}
