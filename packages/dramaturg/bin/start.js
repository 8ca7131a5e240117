const path = require('node:path');
const keepCode = require('./keep-code.js');

// In the folder of the package: anyone who can write there could also change the code. If it cannot be written, nothing is kept.
const kept = path.join(__dirname, '../.cache');
// This variable also switches off Node's own cache.
if (!process.env.NODE_DISABLE_COMPILE_CACHE)
  keepCode(
    path.join(__dirname, '../dist/quick'),
    path.join(kept, `${process.version}-${process.arch}`),
  );

if (!require('../dist/quick/quick.cjs').isQuick) {
  // The command loads hundreds of modules here. For so many, Node's own cache is good enough, and it supports ES modules.
  require('node:module').enableCompileCache(kept);
  void import('../dist/cli/main.js');
}
