import { dayOf } from "./time.js";

// download saves a CSV as a file of this device.
export function download(name, text) {
  save(name, new Blob([text], { type: "text/csv;charset=utf-8" }));
}

// save saves a file; the page itself never shows it.
export function save(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken what it needs by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

// dated names a file of today.
export function dated(name) {
  return `${name}-${dayOf(new Date().toISOString())}.csv`;
}
