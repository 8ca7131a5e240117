/** Runs programs one after another, and says what each has printed. Arguments: the files. */
import { formatWithOptions } from 'node:util';
import { pathToFileURL } from 'node:url';

const print = console.log;
for (const file of process.argv.slice(2)) {
  const printed = [];
  console.log = (...values) =>
    printed.push(formatWithOptions({ breakLength: Infinity }, ...values));
  let failure;
  try {
    await import(pathToFileURL(file).href);
  } catch (error) {
    failure = error?.stack ?? String(error);
  }
  console.log = print;
  print(JSON.stringify({ file, printed, failure }));
}
process.exit();
