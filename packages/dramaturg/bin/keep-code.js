const fs = require('node:fs');
const path = require('node:path');
const { Script } = require('node:vm');
const { crc32 } = require('node:zlib');

/** Before the code in a kept file: checksums of the source and of the code. V8 checks neither, only versions and lengths. */
const headerBytes = 8;

/**
 * Lets `require` run the files `*.cjs` of a folder with the compiled code of earlier runs. At the end of a run, writes the code
 * if some was missing. Node's own cache does not help here: it saves code before the run, without the functions that are compiled
 * at their first call, which are nearly all.
 *
 * @param {string} folder the folder of these files
 * @param {string} kept the folder for compiled code. If it cannot be written, nothing is kept.
 */
module.exports = function keepCode(folder, kept) {
  const loaded = [];
  const ordinary = require.extensions['.js'];
  // Node has no loader for this extension: such files are loaded as if they were called ".js".
  require.extensions['.cjs'] = function load(module, filename) {
    if (path.dirname(filename) !== folder) return ordinary(module, filename);
    // Read as a string: from bytes, the same source takes 15 milliseconds longer to compile.
    const source = fs.readFileSync(filename, 'utf8');
    const file = path.join(kept, path.basename(filename, '.cjs') + '.code');
    const checksum = crc32(source);
    const cachedData = codeFrom(file, checksum);
    const script = new Script(
      '(function (exports, require, module, __filename, __dirname) {' + source + '\n})',
      { filename, cachedData },
    );
    loaded.push({
      script,
      file,
      checksum,
      isKept: cachedData !== undefined && !script.cachedDataRejected,
    });
    const run = script.runInThisContext();
    run.call(module.exports, module.exports, (id) => module.require(id), module, filename, folder);
  };
  process.on('exit', () => {
    // Writes all files: a kept file of another command may lack functions that this command was the first to call.
    if (!loaded.every(({ isKept }) => isKept)) write(kept, loaded);
  });
};

function codeFrom(file, checksum) {
  let bytes;
  try {
    bytes = fs.readFileSync(file);
  } catch {
    return undefined;
  }
  if (bytes.length <= headerBytes || bytes.readUInt32LE(0) !== checksum) return undefined;
  const code = bytes.subarray(headerBytes);
  return bytes.readUInt32LE(4) === crc32(code) ? code : undefined;
}

function write(kept, loaded) {
  try {
    // Only the owner may write code that others will run, independent of the umask.
    fs.mkdirSync(kept, { recursive: true, mode: 0o755 });
    for (const { script, file, checksum } of loaded) {
      const code = script.createCachedData();
      const header = Buffer.alloc(headerBytes);
      header.writeUInt32LE(checksum, 0);
      header.writeUInt32LE(crc32(code), 4);
      // Another process may read or write the file at this moment.
      const part = file + '.' + process.pid;
      fs.writeFileSync(part, Buffer.concat([header, code]), { mode: 0o644 });
      fs.renameSync(part, file);
    }
  } catch {
    // Not an error: the command has done its work. The next one compiles again.
  }
}
