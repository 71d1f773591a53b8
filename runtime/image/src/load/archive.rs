//! Archives: reads the objects among their members.

use super::contents::{Content, content};
use super::object::{Object, object};
use super::{Budget, LoadError};
use object::read::archive::ArchiveFile;

/// The maximum number of members of an archive.
const MOST_MEMBERS: usize = 1 << 16;

/// A member of an archive, or its full name and the reason why it cannot be read.
pub type Member = Result<Object, (String, LoadError)>;

/// The objects of an archive in its order, each named `ARCHIVE(MEMBER)`. Objects that cannot be read are included with
/// the reason, which matters only if one of them is needed. Other members are left out.
///
/// # Errors
/// The reason why the archive itself cannot be read.
pub fn archive(name: &str, bytes: &[u8], budget: &mut Budget) -> Result<Vec<Member>, LoadError> {
    let archive = ArchiveFile::parse(bytes)?;
    if archive.is_thin() {
        return Err(LoadError::OtherKind("a thin archive, which only names its members"));
    }
    let mut objects = Vec::new();
    for (count, member) in archive.members().enumerate() {
        if count >= MOST_MEMBERS {
            return Err(LoadError::TooMany("members", MOST_MEMBERS));
        }
        let member = member?;
        let data = member.data(bytes)?;
        if content(data) == Content::Object {
            let full = format!("{name}({})", String::from_utf8_lossy(member.name()));
            objects.push(object(&full, data, budget).map_err(|error| (full, error)));
        }
    }
    Ok(objects)
}
