import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compareVersions, parseVersion } from './semantic-version.ts'
import { parseVersionRange } from './version-range.ts'

describe('a range', () => {
  const cases: [range: string, inside: string[], outside: string[]][] = [
    ['1.2.3', ['1.2.3', '1.2.3+build'], ['1.2.4', '1.2.3-rc.1']],
    ['=1.2.3', ['1.2.3'], ['1.2.4']],
    ['== 1.2.3', ['1.2.3'], ['1.2.4']],
    ['!1.2.3', ['1.2.4', '1.2.3-rc.1'], ['1.2.3']],
    ['!=1.2.3', ['1.2.2'], ['1.2.3', '1.2.3+build']],
    ['>=10.0.0', ['10.0.0', '10.0.19041', '11.0.0-alpha'], ['9.9.9', '10.0.0-rc.1']],
    ['>= 10.0.0', ['10.0.0'], ['9.9.9']],
    ['>1.0.0', ['1.0.1'], ['1.0.0']],
    ['<=1.0.0', ['1.0.0', '0.9.0'], ['1.0.1']],
    ['<1.0.0', ['1.0.0-rc.1'], ['1.0.0']],
    ['>1.0.0 <2.0.0', ['1.5.0'], ['1.0.0', '2.0.0']],
    ['>1.0.0 <2.0.0 || 3.0.0', ['1.5.0', '3.0.0'], ['2.5.0', '3.0.1']],
    ['>1.0.0 <2.0.0 || >3.0.0 !4.2.1', ['1.2.3', '3.1.1'], ['4.2.1', '2.1.1']],
    ['1.2.x', ['1.2.0', '1.2.99', '1.3.0-beta'], ['1.1.9', '1.3.0']],
    ['1.x', ['1.0.0', '1.9.9'], ['0.9.9', '2.0.0']],
    ['1.x.x', ['1.0.0', '1.9.9'], ['2.0.0']],
    ['>=1.2.x', ['1.2.0', '2.0.0'], ['1.1.9']],
    ['<=1.2.x', ['1.2.9', '0.1.0'], ['1.3.0']],
    ['>1.2.x', ['1.3.0'], ['1.2.9']],
    ['<1.2.x', ['1.1.9'], ['1.2.0']],
    ['!=1.2.x', ['1.1.9', '1.3.0'], ['1.2.0', '1.2.9']],
    ['  1.2.3  ', ['1.2.3'], ['1.2.4']],
  ]
  for (const [text, inside, outside] of cases) {
    test(`'${text}'`, () => {
      const { range, error } = parseVersionRange(text)
      assert.equal(error, undefined)
      for (const version of inside) assert.ok(range!.matches(version), version)
      for (const version of outside) assert.ok(!range!.matches(version), version)
    })
  }

  test('holds for no text that is not a version', () => {
    const { range } = parseVersionRange('>=0.0.0-0')
    for (const text of [
      '',
      '1',
      '1.2',
      'v1.2.3',
      '01.2.3',
      '1.2.3.4',
      '1.2.3-',
      '1.2.3-01',
      '1.2.3+',
      ' 1.2.3',
      '1.2.x',
      '١.2.3',
      `1.2.${'9'.repeat(300)}`,
    ]) {
      assert.ok(!range!.matches(text), text)
    }
  })

  const refused: [text: string, error: string | RegExp][] = [
    ['', 'Range is empty'],
    ['   ', 'Range is empty'],
    ['not-a-range', 'Could not get version from string: "not-a-range"'],
    ['|| 1.0.0', "Nothing stands before '||' in the range"],
    ['1.0.0 ||', "Last element in range is '||'"],
    ['1.0.0 || || 2.0.0', "Nothing stands before '||' in the range"],
    ['1.0.0||2.0.0', /^Could not parse version/],
    ['1.0', 'Could not parse version "1.0" in "1.0"'],
    ['~1.0.0', 'Could not parse comparator "~" in "~1.0.0"'],
    ['=>1.0.0', 'Could not parse comparator "=>" in "=>1.0.0"'],
    ['! 1.0.0', 'Could not get version from string: "!"'],
    ['x', /^Could not get version/],
    ['*', /^Could not get version/],
    ['1.x.3', /^Could not parse version/],
    ['1.2.3.x', /^Could not parse version/],
    ['1.2-a.x', /^Could not parse version/],
    ['01.x', /^Could not parse version/],
    ['18446744073709551615.x', /^Could not parse version/],
    ['18446744073709551616.0.0', /^Could not parse version/],
    ['1.0.0\t2.0.0', /^Could not parse version/],
    ['1.0.0\0', /^Could not parse version/],
    ['>'.repeat(1_000_000), 'Range is longer than 1024 characters'],
  ]
  for (const [text, error] of refused) {
    test(`is not ${JSON.stringify(text.slice(0, 40))}`, () => {
      const parsed = parseVersionRange(text)
      assert.equal(parsed.range, undefined)
      if (typeof error === 'string') assert.equal(parsed.error, error)
      else assert.match(parsed.error!, error)
    })
  }
})

describe('versions', () => {
  test('are ordered as semver.org orders them', () => {
    const ascending = [
      '0.0.0-0',
      '0.0.0',
      '1.0.0-1',
      '1.0.0-2',
      '1.0.0-10',
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0-rc-1',
      '1.0.0',
      '1.0.2',
      '1.0.10',
      '1.10.0',
      '18446744073709551614.0.0',
      '18446744073709551615.0.0',
    ].map((text) => parseVersion(text)!)
    for (let left = 0; left < ascending.length; left++) {
      for (let right = 0; right < ascending.length; right++) {
        assert.equal(compareVersions(ascending[left]!, ascending[right]!), Math.sign(left - right))
      }
    }
  })
})
