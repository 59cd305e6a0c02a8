//! What a result carries beside text: JSON outputs, images, status events. All of them bounded.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;

use crate::limits::{MAX_DETAILS_ENTRIES, MAX_DETAILS_IMAGE_BYTES, MAX_DETAILS_JSON_BYTES, MAX_IMAGE_BYTES};

use super::artifact::{ArtifactPlan, Saved, save_image};
use super::messages;
use super::result::{ImageBlock, Json, decoded_size};

/// The rich part of `details`, ready to go.
#[derive(Clone, Debug, Default)]
pub struct DetailParts {
    pub json_outputs: Vec<Json>,
    pub images: Vec<ImageBlock>,
    pub status_events: Vec<Json>,
}

/// Collects the rich part of a call.
#[derive(Debug, Default)]
pub(crate) struct Details {
    pub parts: DetailParts,
    json_bytes: usize,
    image_bytes: usize,
    event_bytes: usize,
    displayed_json: usize,
    displayed_images: usize,
    left_out: [u64; 3],
    /// Images that went to files, by their number in the call.
    pub saved_images: Vec<SavedImage>,
}

/// An image too large for the details.
#[derive(Debug)]
pub(crate) struct SavedImage {
    number: usize,
    mime_type: String,
    bytes: usize,
    pub place: Result<Saved, String>,
}

impl SavedImage {
    pub fn notice(&self) -> String {
        let bytes = self.bytes as u64;
        match &self.place {
            Ok(saved) => messages::image_saved(self.number, &self.mime_type, bytes, &saved.path.to_string_lossy()),
            Err(why) => messages::image_not_saved(self.number, &self.mime_type, bytes, why),
        }
    }
}

const JSON: usize = 0;
const IMAGES: usize = 1;
const EVENTS: usize = 2;

impl Details {
    /// Takes a JSON output; answers its `k` of `display[k]`.
    pub fn json(&mut self, value: Box<RawValue>) -> usize {
        self.displayed_json += 1;
        if self.parts.json_outputs.len() >= MAX_DETAILS_ENTRIES {
            self.left_out[JSON] += 1;
            return self.displayed_json;
        }
        let size = value.get().len();
        let value = if self.json_bytes + size <= MAX_DETAILS_JSON_BYTES {
            self.json_bytes += size;
            value
        } else {
            // The place is taken, so that later numbers stay right.
            let note = messages::json_left_out(size as u64);
            serde_json::value::to_raw_value(&note).unwrap_or(value)
        };
        self.parts.json_outputs.push(value.into());
        self.displayed_json
    }

    /// Takes an image, or saves it to a file when it is too large.
    pub fn image(&mut self, mime_type: String, data: String, plan: &ArtifactPlan) {
        self.displayed_images += 1;
        let bytes = decoded_size(&data);
        if bytes <= MAX_IMAGE_BYTES
            && self.image_bytes + bytes <= MAX_DETAILS_IMAGE_BYTES
            && self.parts.images.len() < MAX_DETAILS_ENTRIES
        {
            self.image_bytes += bytes;
            self.parts.images.push(ImageBlock::new(mime_type, data));
            return;
        }
        if self.saved_images.len() >= MAX_DETAILS_ENTRIES {
            self.left_out[IMAGES] += 1;
            return;
        }
        // What is not base64 is kept as it came.
        let decoded = STANDARD.decode(&data).unwrap_or_else(|_| data.into_bytes());
        let place = save_image(plan, &decoded, extension(&mime_type));
        self.saved_images.push(SavedImage { number: self.displayed_images, mime_type, bytes, place });
    }

    /// Takes a status event; answers it for the cell it belongs to.
    pub fn status(&mut self, event: Box<RawValue>) -> Option<Json> {
        let size = event.get().len();
        if self.parts.status_events.len() >= MAX_DETAILS_ENTRIES || self.event_bytes + size > MAX_DETAILS_JSON_BYTES {
            self.left_out[EVENTS] += 1;
            return None;
        }
        self.event_bytes += size;
        let event = Json::from(event);
        self.parts.status_events.push(event.clone());
        Some(event)
    }

    /// What had to be left out or saved elsewhere, in sentences.
    pub fn notices(&self) -> Vec<String> {
        let names = ["JSON output", "image", "status event"];
        let left_out = names.iter().zip(self.left_out).filter(|(_, count)| *count > 0);
        left_out.map(|(name, count)| messages::details_left_out(count, name)).collect()
    }
}

/// How a file of this MIME type is named.
pub(crate) fn extension(mime_type: &str) -> &'static str {
    match mime_type.to_ascii_lowercase().as_str() {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "image/svg+xml" => "svg",
        _ => "bin",
    }
}
