const path = require('node:path');
const keepCode = require('./keep-code.js');

// In the folder of the package: who can write there could also change the code. Where nobody can, nothing is kept.
const kept = path.join(__dirname, '../.cache');
// The variable with which Node's own cache is switched off.
if (!process.env.NODE_DISABLE_COMPILE_CACHE)
  keepCode(
    path.join(__dirname, '../dist/quick'),
    path.join(kept, `${process.version}-${process.arch}`),
  );

if (!require('../dist/quick/quick.cjs').isQuick) {
  // These are hundreds of modules. For so many, Node's own cache is good enough, and it also does for ES modules.
  require('node:module').enableCompileCache(kept);
  void import('../dist/cli/main.js');
}
