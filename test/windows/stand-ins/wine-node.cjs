// Required before everything else by Node for Windows under Wine 8: what Windows does and Wine does not.
const fs = require('node:fs');
const {Socket} = require('node:net');
const {join} = require('node:path');

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
require('node:module').syncBuiltinESMExports();

// A socket with keep-alive cannot connect, and fetch() sets it first.
const {setKeepAlive} = Socket.prototype;
Socket.prototype.setKeepAlive = function (...given) {
  return this.connecting ? this : setKeepAlive.apply(this, given);
};
