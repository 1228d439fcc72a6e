export {applyAppColor, applyVAColor, getAppColor} from './colors.js';
export {localApi} from './local-api.js';
export type {Notification} from './notify.js';
export {notify} from './notify.js';
export type {RequestOptions} from './request.js';
export {RequestError, request} from './request.js';
export type {NotificationType} from './toast.js';
