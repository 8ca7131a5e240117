#!/usr/bin/env node
// Old syntax on purpose: an old Node must get far enough to print the sentence below.
var required = [22, 12];
var current = process.versions.node.split('.').map(Number);

if (current[0] < required[0] || (current[0] === required[0] && current[1] < required[1])) {
  process.stderr.write(
    'dramaturg needs Node ' +
      required.join('.') +
      ' or newer; this is ' +
      process.versions.node +
      '. Install a newer Node, or add one to this project with "npm install node@22" and use "npx dramaturg".\n',
  );
  process.exitCode = 2;
} else {
  // oxlint-disable-next-line import/no-unassigned-import -- It is faster than import(), and runs the command.
  require('./start.js');
}
