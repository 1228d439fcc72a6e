// Required before everything else by Node for Windows under Wine 8: what Windows does and Wine does not.
const fs = require('node:fs');
const {Socket} = require('node:net');
const {join, relative} = require('node:path');

// Loads the stand-in that a patched LMDB finds by its name, from the folder of this file.
process.dlopen({exports: {}}, join(__dirname, 'LMDBX.DLL'));

// Variables that Wine sets itself: the folders of the user, and the shell.
for (const [name, value] of Object.entries(process.env))
  if (name.startsWith('WINDOWS_')) process.env[name.slice('WINDOWS_'.length)] = value;

// SetFileAttributesW() of Wine opens the file without sharing it, so chmod() fails for open files.
const unlessBusy = error => {
  if (error.code !== 'EBUSY') throw error;
};
const {chmod, chmodSync, promises} = fs;
const {chmod: chmodLater} = promises;
promises.chmod = (...given) => chmodLater(...given).catch(unlessBusy);
fs.chmod = (path, mode, done) => chmod(path, mode, error => done(error?.code === 'EBUSY' ? null : error));
fs.chmodSync = (...given) => {
  try {
    chmodSync(...given);
  } catch (error) {
    unlessBusy(error);
  }
};

// A watch of a tree reports changes in folders that are made later, but not in those that are there.
const {watch} = fs;
fs.watch = (path, options, listener) => {
  const watcher = watch(path, options, listener);
  if (options?.recursive !== true || !fs.statSync(path).isDirectory()) return watcher;
  const folders = fs.readdirSync(path, {withFileTypes: true, recursive: true}).filter(each => each.isDirectory());
  for (const {parentPath, name} of folders) {
    const folder = join(parentPath, name);
    const report = (event, file) => watcher.emit('change', event, relative(path, join(folder, file)));
    const inner = watch(folder, {persistent: false}, report).on('error', () => {});
    watcher.once('close', () => inner.close());
  }
  return watcher;
};
require('node:module').syncBuiltinESMExports();

// A socket with keep-alive cannot connect, and fetch() sets it first.
const {setKeepAlive} = Socket.prototype;
Socket.prototype.setKeepAlive = function (...given) {
  return this.connecting ? this : setKeepAlive.apply(this, given);
};
