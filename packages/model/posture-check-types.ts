/** An operating system a posture check type applies to; `versions` null means all of them. */
export interface PostureCheckOperatingSystem {
  readonly type: string
  readonly versions: readonly string[] | null
}

/** A posture check type as the API lists it. The list informs people; nothing is judged by it. */
export interface PostureCheckType {
  readonly id: string
  readonly name: string
  readonly version: null
  readonly operatingSystems: readonly PostureCheckOperatingSystem[]
}

const android: PostureCheckOperatingSystem = { type: 'Android', versions: ['10', '11', '9'] }
const ios: PostureCheckOperatingSystem = { type: 'iOS', versions: ['11', '12'] }
const linux: PostureCheckOperatingSystem = { type: 'Linux', versions: ['4.14', '4.19', '5.4', '5.9'] }
const macos: PostureCheckOperatingSystem = { type: 'macOS', versions: ['10.15', '11.0'] }
const windows: PostureCheckOperatingSystem = { type: 'Windows', versions: ['10', '2000', '7', '8', 'Vista'] }

/** The posture check types of every controller. There is no row for MFA; types and versions are sorted as text. */
export const builtInPostureCheckTypes: readonly PostureCheckType[] = [
  { id: 'DOMAIN', name: 'Windows Domain Check', version: null, operatingSystems: [windows] },
  { id: 'MAC', name: 'MAC Address Check', version: null, operatingSystems: [android, linux, windows, macos] },
  { id: 'OS', name: 'Operating System Check', version: null, operatingSystems: [android, linux, windows, ios, macos] },
  { id: 'PROCESS', name: 'Process Check', version: null, operatingSystems: [linux, windows, macos] },
  {
    id: 'PROCESS_MULTI',
    name: 'Process Multi Check',
    version: null,
    operatingSystems: [linux, windows, macos].map(({ type }) => ({ type, versions: null })),
  },
]
