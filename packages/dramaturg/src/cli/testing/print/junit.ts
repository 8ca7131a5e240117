import type { PlacedResult } from '../../../testing/prepared-tests.ts';
import type { FileResult } from '../../../testing/run-file.ts';

/** The results as JUnit XML, which most CI systems read: a suite for each file. */
export function resultsToJunit(files: readonly FileResult[]): string {
  const suites = files.map(({ file, results }) => {
    const failed = results.filter(({ failures }) => failures.length > 0).length;
    const cases = results.map((result) => testCase(file, result)).join('');
    return `  <testsuite name="${escaped(file)}" tests="${results.length}" failures="${failed}" errors="0" skipped="0" time="${seconds(results)}">\n${cases}  </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('')}</testsuites>\n`;
}

function testCase(file: string, result: PlacedResult): string {
  const { name, failures, range } = result;
  const head = `    <testcase classname="${escaped(file)}" name="${escaped(name)}" file="${escaped(file)}" line="${range.start.line}" time="${seconds([result])}"`;
  if (failures.length === 0) return `${head}/>\n`;
  const bodies = failures.map(({ message, hint, range: { start } }) => {
    const text = [message, hint, `${file}:${start.line}:${start.column}`]
      .filter(Boolean)
      .join('\n');
    return `      <failure message="${escaped(message)}">${escaped(text)}</failure>\n`;
  });
  return `${head}>\n${bodies.join('')}    </testcase>\n`;
}

function seconds(results: readonly PlacedResult[]): string {
  return (results.reduce((sum, { duration }) => sum + duration, 0) / 1000).toFixed(3);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
};

/** Characters that XML cannot have become question marks. */
function escaped(text: string): string {
  return text
    .replaceAll(/[&<>"\n\r\t]/g, (character) => entities[character]!)
    .replaceAll(/[^\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '?');
}
